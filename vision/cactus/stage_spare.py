"""A second set in the picture: cacti that stand there once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from vision.cactus.stage_fit import fit_rig
from vision.cactus.stage_rig import rig_from_poses
from vision.cactus.stage_search import Search
from vision.cactus.upright import Upright
from vision.paint import doubts

_LEAST = 2  # of one set all stand at most once: so many others are no misreading
_MERIT = 0.8
_TRIED = 3  # other places of each cactus that are looked at closely
_REACHES_MM = (4.0, 2.5, 1.5, 1.2)


def find_spare(search: Search, known: Sequence[Upright] = ()) -> tuple[Upright, ...]:
    """The cacti of a second set, each of which stands there for certain; none where it is hardly a set.

    Parameters
    ----------
    search
        What was found of the first set.
    known
        Where such cacti stood a picture ago: only there they are looked for.
    """
    f = search.fitted
    if f is None:
        return ()
    names = [c.id for c in search.set.cacti[: search.fronts]]
    if known:
        who = [names.index(u.id) for u in known]
        spots = [*rig_from_poses(f.rig.camera(), [u.to_camera for u in known]).spots]
    else:
        there = [names.index(search.name(k)) for k in search.who]
        rig, camera = f.rig, f.rig.camera()
        starts = [
            (k, np.array([*at, 0.0]))
            for k in there
            for p in [p for p in search.proposals if p.cactus == k][: _TRIED + 1]
            for at in search.spots(rig, camera, np.array([[p.x, p.y]]), p.px_per_mm)
            if np.isfinite(at).all()
        ]
        who, spots = [k for k, _ in starts], [spot for _, spot in starts]
    if len(set(who)) < _LEAST:
        return ()
    marks = [search.marks[k] for k in who]
    tried = fit_rig(search.soft, replace(f.rig, spots=np.array(spots)), marks, None, _REACHES_MM)
    deck = np.array([search.set.cacti[k].rgb for k in [*search.who, *who]])
    merit = tried.worth - doubts(np.concatenate([f.paints, tried.paints]), deck)[len(search.who) :]
    found: dict[int, int] = {}
    for i in np.argsort(-merit):
        places = np.array([*f.rig.spots[:, :2], *(tried.rig.spots[j, :2] for j in found.values())])
        apart = np.hypot(*(places - tried.rig.spots[i, :2]).T) > search.set.base_mm[0]
        if merit[i] > _MERIT and who[i] not in found and apart.all():
            found[who[i]] = int(i)
    if len(found) < _LEAST:
        return ()
    return tuple(
        Upright(names[k], tried.rig.to_camera(i), float(tried.sigma_px[i]), float(min(merit[i], 0.99)))
        for k, i in found.items()
    )
