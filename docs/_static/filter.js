// Every long table gets a field that hides the rows in which a word of it begins no word.
document.addEventListener("DOMContentLoaded", () => {
  for (const table of document.querySelectorAll(".bd-article table:not(.indextable)")) {
    const rows = [...table.querySelectorAll("tbody tr")];
    if (rows.length < 20) continue;
    const texts = rows.map(row => [...row.cells].map(cell => cell.textContent).join(" ").toLowerCase());
    const input = document.createElement("input");
    input.type = "search";
    input.className = "table-filter form-control";
    input.placeholder = `Filter ${rows.length} rows by words`;
    input.setAttribute("aria-label", input.placeholder);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
        .map(word => new RegExp("(?<![a-z0-9])" + word.replace(/[^\w]/g, "\\$&")));
      rows.forEach((row, k) => { row.hidden = !words.every(word => word.test(texts[k])); });
    });
    (table.closest(".pst-scrollable-table-container") ?? table).before(input);
  }
});
