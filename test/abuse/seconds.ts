/** Duration of a run: `make abuse SECONDS=60`. */
export function chooseSeconds(usual: number): number {
  const given = Number(process.env['ABUSE_SECONDS']);
  return Number.isSafeInteger(given) && given > 0 ? given : usual;
}
