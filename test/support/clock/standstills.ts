const LOOK_MS = 50;
const LATE_MS = 100;

export type Standstills = {
  /** For how long this machine stood still between two times, all in epoch milliseconds. */
  between(from: number, to: number): number;
  end(): void;
};

/** Notes when this process did not run, because others did not run then either. */
export function watchStandstills(): Standstills {
  const noted: { readonly from: number; readonly to: number }[] = [];
  let last = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > LOOK_MS + LATE_MS) noted.push({ from: last, to: now });
    last = now;
  }, LOOK_MS);
  return {
    between: (from, to) =>
      noted.reduce((sum, one) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)), 0),
    end() {
      clearInterval(timer);
    },
  };
}
