/** Duration of a long run: `make abuse SECONDS=60`, `make soak-unleash SECONDS=60`. */
export function chooseSeconds(defaultSeconds: number): number {
  const given = Number(process.env['RUN_SECONDS']);
  return Number.isSafeInteger(given) && given > 0 ? given : defaultSeconds;
}
