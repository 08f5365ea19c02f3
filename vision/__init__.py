"""From pixels to a table in millimetres. No rule is known here.

`observe` understands one frame, `live` looks at frames one after the other, `scene` and `types` are what they pass on,
`plane` alone turns pixels into millimetres, `overlay` alone draws.
"""
