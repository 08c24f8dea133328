/** Formats the rows of a table with right-aligned columns. */
export function alignRight(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_title, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  return rows.map((cells) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}
