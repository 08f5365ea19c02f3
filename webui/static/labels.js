"use strict";
/* Labels of outlines over a picture stand beside what they speak of, never on anything that is outlined; a line leads
   there where they had to go further away. They are laid anew whenever the picture has another size on the screen. */
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const LEAST_PX = 12;
  const FAR = [0.3, 0.9, 1.6, 2.6, 4, 6, 9];
  const SIDES = [[0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1]];

  const around = (points) => {
    const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
    return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
  };
  const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

  /* Whether a box meets an outline; of one that is not convex its hull counts. */
  function covers(box, shape) {
    if (!meet(box, shape.box)) return false;
    const corners = [[box.left, box.top], [box.right, box.top], [box.right, box.bottom], [box.left, box.bottom]];
    return !shape.points.some((p, n) => {
      const q = shape.points[(n + 1) % shape.points.length];
      const along = ([x, y]) => x * (p[1] - q[1]) + y * (q[0] - p[0]);
      const own = shape.points.map(along), other = corners.map(along);
      return Math.max(...own) <= Math.min(...other) || Math.max(...other) <= Math.min(...own);
    });
  }

  function nearest(points, x, y) {
    let best = null, least = Infinity;
    points.forEach(([ax, ay], n) => {
      const [bx, by] = points[(n + 1) % points.length];
      const long = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
      const t = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / long));
      const at = [ax + t * (bx - ax), ay + t * (by - ay)], far = Math.hypot(at[0] - x, at[1] - y);
      if (far < least) { least = far; best = at; }
    });
    return best;
  }

  function* places(box, wide, high, font, view) {
    const x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    for (const far of FAR) {
      for (const [dx, dy] of SIDES) {
        const gap = far * font;
        yield [x + dx * ((box.right - box.left + wide) / 2 + gap), y + dy * ((box.bottom - box.top + high) / 2 + gap)];
      }
    }
    const edge = [];
    for (let at = view.left + wide / 2; at <= view.right - wide / 2; at += font) edge.push([at, view.top + high / 2], [at, view.bottom - high / 2]);
    for (let at = view.top + high / 2; at <= view.bottom - high / 2; at += font) edge.push([view.left + wide / 2, at], [view.right - wide / 2, at]);
    yield* edge.sort((a, b) => Math.hypot(a[0] - x, a[1] - y) - Math.hypot(b[0] - x, b[1] - y));
  }

  function lay(svg) {
    const base = svg.viewBox.baseVal, shown = svg.getBoundingClientRect();
    if (!base || !base.width || !shown.width) return;
    const view = { left: base.x, right: base.x + base.width, top: base.y, bottom: base.y + base.height };
    const font = Math.max(base.width / 70, LEAST_PX * Math.max(base.width / shown.width, base.height / shown.height));
    for (const old of svg.querySelectorAll(".leader")) old.remove();
    const shapes = [];
    for (const group of svg.querySelectorAll("g")) {
      const outline = group.querySelector(":scope > polygon:last-of-type");
      const points = outline && [...outline.points].map((p) => [p.x, p.y]);
      if (points && points.length > 2) shapes.push({ group, points, box: around(points), solid: !group.matches(".area, .board") });
    }
    const solid = shapes.filter((shape) => shape.solid), laid = [];
    for (const shape of shapes) {
      const text = shape.group.querySelector(":scope > text");
      if (!text || !text.textContent) continue;
      text.setAttribute("font-size", font.toFixed(1));
      text.removeAttribute("visibility");
      const wide = text.getComputedTextLength() + font / 2, high = font * 1.25;
      let found = null;
      for (const [x, y] of places(shape.box, wide, high, font, view)) {
        const box = { left: x - wide / 2, right: x + wide / 2, top: y - high / 2, bottom: y + high / 2 };
        const inside = box.left >= view.left && box.right <= view.right && box.top >= view.top && box.bottom <= view.bottom;
        if (inside && !laid.some((other) => meet(box, other)) && !solid.some((other) => covers(box, other))) { found = { x, y, box }; break; }
      }
      if (!found) { text.setAttribute("visibility", "hidden"); continue; }
      laid.push(found.box);
      text.setAttribute("x", found.x.toFixed(1));
      text.setAttribute("y", found.y.toFixed(1));
      const to = nearest(shape.points, found.x, found.y);
      const from = [Math.max(found.box.left, Math.min(found.box.right, to[0])), Math.max(found.box.top, Math.min(found.box.bottom, to[1]))];
      const faces = (found.x > shape.box.left && found.x < shape.box.right) || (found.y > shape.box.top && found.y < shape.box.bottom);
      if (faces && Math.hypot(to[0] - from[0], to[1] - from[1]) < font * 0.7) continue;
      for (const kind of ["halo", "line"]) {
        const line = document.createElementNS(NS, "line");
        line.setAttribute("class", `leader ${kind}`);
        for (const [name, value] of [["x1", from[0]], ["y1", from[1]], ["x2", to[0]], ["y2", to[1]]]) line.setAttribute(name, value.toFixed(1));
        shape.group.insertBefore(line, text);
      }
    }
  }

  const sizes = new ResizeObserver((entries) => entries.forEach((entry) => lay(entry.target)));
  const watch = (root) => root.querySelectorAll("svg.overlay").forEach((svg) => sizes.observe(svg));
  window.layLabels = lay;
  watch(document);
  new MutationObserver((changes) => {
    for (const change of changes) for (const node of change.addedNodes) if (node instanceof HTMLElement) watch(node);
  }).observe(document.body, { childList: true, subtree: true });
})();
