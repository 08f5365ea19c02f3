"use strict";
/* Setting up step by step: the picture is always the newest, what is checked is asked for again, and a tap points at something. */
(() => {
  const guide = document.getElementById("guide");
  if (!guide) return;
  const views = [...guide.querySelectorAll("img[data-live]")];
  const pause = (ms) => new Promise((go) => { setTimeout(go, ms); });

  async function watch() {
    let number = -1;
    for (;;) {
      if (document.hidden) { await pause(700); continue; }
      try {
        const answer = await fetch(`${guide.dataset.picture}?after=${number}`, { cache: "no-store", credentials: "same-origin" });
        if (answer.status === 200) {
          number = Number(answer.headers.get("X-Picture"));
          const newest = URL.createObjectURL(await answer.blob());
          for (const view of views) {
            const before = view.src;
            view.src = newest;
            await view.decode().catch(() => undefined);
            if (before.startsWith("blob:")) URL.revokeObjectURL(before);
          }
          await pause(150);
        } else {
          await pause(answer.status === 204 ? 150 : 2000);
        }
      } catch {
        await pause(1500);
      }
    }
  }

  /* Parts that say what is seen now are taken anew from the same page. */
  async function refresh() {
    const parts = [...guide.querySelectorAll("[data-refresh]")];
    while (parts.length) {
      await pause(1500);
      if (document.hidden) continue;
      try {
        const answer = await fetch(location.href, { cache: "no-store", credentials: "same-origin" });
        if (!answer.ok) continue;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const part of parts) {
          const now = page.getElementById(part.id);
          if (now && now.innerHTML !== part.innerHTML) part.innerHTML = now.innerHTML;
        }
        if (!views.length && page.querySelector("img[data-live]")) location.reload();
      } catch {
        // the program is busy or gone: asked again
      }
    }
  }

  for (const spot of guide.querySelectorAll("[data-point]")) {
    spot.addEventListener("click", (event) => {
      const form = document.getElementById(spot.dataset.point);
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(spot.getScreenCTM().inverse());
      const box = spot.viewBox.baseVal;
      const [x, y] = [at.x / box.width, at.y / box.height];
      if (x < 0 || x > 1 || y < 0 || y > 1) return;
      form.elements.x.value = x.toFixed(4);
      form.elements.y.value = y.toFixed(4);
      form.submit();
    });
  }

  if (views.length) watch();
  refresh();
})();
