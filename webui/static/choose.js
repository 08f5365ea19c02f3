"use strict";
/* A camera that shows nothing now keeps its drawing instead of a broken picture. */
for (const img of document.querySelectorAll("img[data-may-fail]")) {
  const gone = () => { img.hidden = true; };
  if (img.complete && !img.naturalWidth && img.currentSrc) gone();
  img.addEventListener("error", gone);
}
