/** Lines of a table whose columns end below each other. */
export function alignRight(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_title, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  return rows.map((cells) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}
