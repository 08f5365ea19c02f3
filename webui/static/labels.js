"use strict";
/* The name of an outline over a picture touches what it speaks of and is nearer to it than to anything else; where no
   place beside it is free it lies small over the outline's own rim, and where that is not free either it is left out.
   Names are laid anew whenever the picture has another size on the screen. */
(() => {
  const LEAST_PX = 12;
  const SMALL = 0.75;
  const CORE = 0.4;
  const SIDES = [[0, -1], [0, 1], [1, 0], [-1, 0]];
  const ALONG = [0, -0.15, 0.15, -0.3, 0.3];
  const STEPS = 12;

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

  /* How far a point lies from an outline. */
  function apart(points, x, y) {
    return Math.min(...points.map(([ax, ay], n) => {
      const [bx, by] = points[(n + 1) % points.length];
      const long = (bx - ax) ** 2 + (by - ay) ** 2 || 1;
      const t = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / long));
      return Math.hypot(ax + t * (bx - ax) - x, ay + t * (by - ay) - y);
    }));
  }

  /* How far a box lies from an outline: 0 where they meet. */
  function distance(box, shape) {
    if (covers(box, shape)) return 0;
    const corners = [[box.left, box.top], [box.right, box.top], [box.right, box.bottom], [box.left, box.bottom]];
    const out = ([x, y]) => Math.hypot(Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom));
    return Math.min(...corners.map(([x, y]) => apart(shape.points, x, y)), ...shape.points.map(out));
  }

  const boxed = (x, y, wide, high) => ({ left: x - wide / 2, right: x + wide / 2, top: y - high / 2, bottom: y + high / 2 });
  const grown = (box, by) => ({ left: box.left - by, right: box.right + by, top: box.top - by, bottom: box.bottom + by });

  /* Boxes of a size on each side of an outline, as near as they come without meeting `blocker`. */
  function* places(shape, blocker, wide, high) {
    const { box } = shape, x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
    for (const [dx, dy] of SIDES) {
      for (const along of ALONG) {
        const cx = x + (dx ? 0 : along * (box.right - box.left)), cy = y + (dy ? 0 : along * (box.bottom - box.top));
        let far = 1, near = 0;
        const at = (share) => boxed(
          cx + dx * share * (box.right - box.left + wide) / 2, cy + dy * share * (box.bottom - box.top + high) / 2, wide, high);
        for (let n = 0; n < STEPS; n++) {
          const middle = (far + near) / 2;
          if (covers(at(middle), blocker)) near = middle; else far = middle;
        }
        yield at(far);
      }
    }
  }

  /* Where a name of a size goes, beside its outline or, `over`, on its rim and clear of its middle; or nothing. */
  function place(shape, over, wide, high, view, solid, laid) {
    const air = high / 12;
    const others = solid.filter((other) => other !== shape && meet(grown(shape.box, wide + high), other.box));
    for (const box of places(shape, over ? shape.core : shape, wide, high)) {
      const inside = box.left >= view.left && box.right <= view.right && box.top >= view.top && box.bottom <= view.bottom;
      if (!inside || laid.some((other) => meet(grown(box, air), other))) continue;
      const own = distance(box, shape);
      if (own < high / 2 && !others.some((other) => covers(grown(box, air), other) || distance(box, other) < own + air)) return box;
    }
    return null;
  }

  function lay(svg) {
    const base = svg.viewBox.baseVal, shown = svg.getBoundingClientRect();
    if (!base || !base.width || !shown.width) return;
    const view = { left: base.x, right: base.x + base.width, top: base.y, bottom: base.y + base.height };
    const full = Math.max(base.width / 70, LEAST_PX * Math.max(base.width / shown.width, base.height / shown.height));
    const shapes = [];
    for (const group of svg.querySelectorAll("g")) {
      const outline = group.querySelector(":scope > polygon:last-of-type");
      const points = outline && [...outline.points].map((p) => [p.x, p.y]);
      if (!points || points.length < 3) continue;
      const box = around(points), x = (box.left + box.right) / 2, y = (box.top + box.bottom) / 2;
      const inner = points.map(([px, py]) => [x + CORE * (px - x), y + CORE * (py - y)]);
      shapes.push({ group, points, box, core: { points: inner, box: around(inner) }, solid: !group.matches(".area, .board") });
    }
    const solid = shapes.filter((shape) => shape.solid), laid = [];
    const named = shapes.map((shape) => ({ shape, text: shape.group.querySelector(":scope > text") }));
    let open = named.filter(({ text }) => text && text.textContent);
    /* Names beside their outlines first, so that none on a rim takes a place from them. */
    for (const [size, over] of [[1, false], [SMALL, false], [SMALL, true]]) {
      const font = full * size;
      open = open.filter(({ shape, text }) => {
        text.setAttribute("font-size", font.toFixed(1));
        text.setAttribute("visibility", "hidden");
        const box = place(shape, over, text.getComputedTextLength() + font / 2, font * 1.3, view, solid, laid);
        if (!box) return true;
        laid.push(box);
        text.removeAttribute("visibility");
        text.setAttribute("x", ((box.left + box.right) / 2).toFixed(1));
        text.setAttribute("y", ((box.top + box.bottom) / 2).toFixed(1));
        return false;
      });
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
