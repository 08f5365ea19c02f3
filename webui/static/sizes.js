"use strict";
/* A size that can hardly be is told before it is sent, so that nothing else of its form is lost. What is left out is not measured. */
(() => {
  for (const field of document.querySelectorAll("input[data-least]")) {
    const check = () => {
      const said = field.value.trim();
      const mm = Number(said.replace(",", "."));
      const likely = !said || (mm >= Number(field.dataset.least) && mm <= Number(field.dataset.most));
      field.setCustomValidity(likely ? "" : field.dataset.hardly.replace("{said}", said));
    };
    field.addEventListener("input", check);
    check();
  }
  for (const out of document.querySelectorAll('input[type="checkbox"][name$="-out"]')) {
    const sizes = out.form.querySelectorAll(`input[data-least][name^="${out.name.slice(0, -3)}"]`);
    const leave = () => { for (const size of sizes) size.disabled = out.checked; };
    out.addEventListener("change", leave);
    leave();
  }
})();
