/** Duration of a run: `make abuse SECONDS=60`. */
export function chooseSeconds(defaultSeconds: number): number {
  const given = Number(process.env['ABUSE_SECONDS']);
  return Number.isSafeInteger(given) && given > 0 ? given : defaultSeconds;
}
