/** Warnings of Node that no test needs to mend. */
const EXPECTED: readonly { readonly text: RegExp; readonly reason: string }[] = [
  {
    text: /^ExperimentalWarning: The MockTimers API/,
    reason: 'unit tests set the time with it, and no service does',
  },
];

export function isExpectedWarning(text: string): boolean {
  return EXPECTED.some(({ text: expected }) => expected.test(text));
}

/** `(node:123) Name: message`, as a process writes it to its standard error. */
const LINE = /^\(node:\d+\) (?:\[\w+\] )?(\w*Warning: .*)$/;

/** The lines of a log with warnings of Node. */
export function warningsOfNode(log: string): string[] {
  return log.split('\n').filter((line) => {
    const [, text] = LINE.exec(line) ?? [];
    return text !== undefined && !isExpectedWarning(text);
  });
}
