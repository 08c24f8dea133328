/** How an application sends its first impact metric with the arm of a feature. */
export function FirstImpactMetric({ feature = 'new-basket' }: { readonly feature?: string }) {
  return (
    <div class="empty">
      <p>
        No impact metric names this flag yet. Applications can send what they measure (purchases, errors,
        response times) with the arm of a flag: the variant, or enabled, or disabled. With{' '}
        <code>unleash-client</code> for Node:
      </p>
      <pre tabIndex={0}>{codeOf(feature)}</pre>
      <p>
        It arrives with the next metrics of the SDK. New SDKs mark the third argument as deprecated. Without
        it the samples name no flag, so there are no arms to compare.
      </p>
    </div>
  );
}

function codeOf(feature: string): string {
  return `const { impactMetrics } = unleash;
impactMetrics.defineCounter('purchases', 'Completed purchases');
impactMetrics.incrementCounter('purchases', 1, {
  flagNames: [${inCode(feature)}],
  context: { userId },
});`;
}

/** A text of program code. What could turn the code round is an escape, because an isolate would be a part of the name. */
function inCode(name: string): string {
  return JSON.stringify(name).replaceAll(
    /[^ -~]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
