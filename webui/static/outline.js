"use strict";
/* Outlines are corrected by dragging: each point has a handle, and between two of them there is one for a new point. */
(() => {
  const NS = "http://www.w3.org/2000/svg";
  const make = (name, parent, more) => {
    const element = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(more)) element.setAttribute(key, value);
    return parent.appendChild(element);
  };

  for (const svg of document.querySelectorAll("svg[data-outlines]")) {
    const size = Math.max(svg.viewBox.baseVal.width, svg.viewBox.baseVal.height);
    for (const group of svg.querySelectorAll("g[data-n]")) {
      const field = document.querySelector(`input[data-outline="${group.dataset.n}"]`);
      if (field) edit(svg, group, field, size);
    }
  }

  function edit(svg, group, field, size) {
    const polygons = [...group.querySelectorAll("polygon, polyline")];
    let points = polygons[0].getAttribute("points").trim().split(/\s+/).map((pair) => pair.split(",").map(Number));
    let held = null;

    function show() {
      const told = points.map((p) => p.map((v) => v.toFixed(2)).join(",")).join(" ");
      for (const polygon of polygons) polygon.setAttribute("points", told);
      field.value = told;
    }

    function draw() {
      for (const old of group.querySelectorAll("circle")) old.remove();
      const roomy = points.length <= 60;
      points.forEach((p, i) => {
        const next = points[(i + 1) % points.length];
        if (roomy && (i + 1 < points.length || !svg.hasAttribute("data-open"))) handle((p[0] + next[0]) / 2, (p[1] + next[1]) / 2, "between", () => { points.splice(i + 1, 0, [...p]); return i + 1; });
        handle(p[0], p[1], "point", () => i, () => { if (points.length > 3) { points.splice(i, 1); show(); draw(); } });
      });
    }

    function handle(x, y, kind, take, drop) {
      const circle = make("circle", group, { cx: x, cy: y, r: size * (kind === "between" ? 0.009 : points.length > 60 ? 0.01 : 0.016), class: kind });
      circle.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        held = take();
        svg.setPointerCapture(event.pointerId);
      });
      if (drop) circle.addEventListener("dblclick", drop);
    }

    svg.addEventListener("pointermove", (event) => {
      if (held === null) return;
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(group.getScreenCTM().inverse());
      points[held] = [at.x, at.y];
      show();
    });
    const leave = () => { if (held !== null) { held = null; draw(); } };
    svg.addEventListener("pointerup", leave);
    svg.addEventListener("pointercancel", leave);
    field.addEventListener("change", () => {
      const typed = field.value.trim().split(/\s+/).map((pair) => pair.split(",").map(Number));
      if (typed.length > 2 && typed.every((p) => p.length === 2 && p.every(Number.isFinite))) { points = typed; show(); draw(); }
    });
    draw();
  }
})();
