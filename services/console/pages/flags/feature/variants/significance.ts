/**
 * Pearson's chi-square test: how likely counts differ from the expected shares at least as much as these do, if the shares
 * are true. The shares need not add up to 1. Undefined if there is nothing to compare: fewer than two shares above 0, or so few
 * counts that the test says nothing (NIST/SEMATECH e-Handbook, 1.3.5.15: at least 5 expected in each class).
 */
export function chiSquareP(counts: readonly number[], shares: readonly number[]): number | undefined {
  const total = sum(counts);
  const whole = sum(shares);
  const classes = counts.map((count, index) => ({ count, expected: (total * (shares[index] ?? 0)) / whole }));
  // Whatever got a share of 0 contradicts it.
  if (classes.some(({ count, expected }) => expected === 0 && count > 0)) return 0;
  const possible = classes.filter(({ expected }) => expected > 0);
  if (possible.length < 2 || possible.some(({ expected }) => expected < LEAST_EXPECTED)) return undefined;
  const statistic = sum(possible.map(({ count, expected }) => (count - expected) ** 2 / expected));
  return upperGamma((possible.length - 1) / 2, statistic / 2);
}

const LEAST_EXPECTED = 5;

const PRECISION = 1e-12;
const MAX_STEPS = 1000;

/** The regularized upper incomplete gamma function Q(a, x): a series for small x, a continued fraction for others (DLMF 8.7, 8.9). */
function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - front * lowerSeries(a, x) : front * upperFraction(a, x);
}

function lowerSeries(a: number, x: number): number {
  let term = 1 / a;
  let total = term;
  for (let step = 1; step < MAX_STEPS && term > total * PRECISION; step += 1) {
    term *= x / (a + step);
    total += term;
  }
  return total;
}

/** By Lentz's method; all of its terms are positive here, so none is 0. */
function upperFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = Infinity;
  let d = 1 / b;
  let result = d;
  for (let step = 1; step < MAX_STEPS; step += 1) {
    const factor = -step * (step - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    result *= c * d;
    if (Math.abs(c * d - 1) < PRECISION) break;
  }
  return result;
}

/** Stirling's series (DLMF 5.11.1), after a shift to where it is exact to ten digits. */
function logGamma(a: number): number {
  let shift = 0;
  let x = a;
  for (; x < 10; x += 1) shift += Math.log(x);
  const inverse = 1 / (x * x);
  const series = (1 / 12 - inverse * (1 / 360 - inverse / 1260)) / x;
  return (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series - shift;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
