/** Shows the progress of a long command on standard error: one line that is overwritten, or a line now and then in a log. */
export type Progress = {
  show(text: string): void;
  /** Ends the line, so that further output starts on a new one. */
  end(): void;
};

const TERMINAL_MS = 100;
const LOG_MS = 10_000;

export function createProgress(): Progress {
  const { stderr } = process;
  const isTerminal = stderr.isTTY;
  let shownAt = Date.now() - (isTerminal ? TERMINAL_MS : 0);
  let isOnLine = false;
  return {
    show(text) {
      if (Date.now() - shownAt < (isTerminal ? TERMINAL_MS : LOG_MS)) return;
      shownAt = Date.now();
      stderr.write(isTerminal ? `\r\u001b[K${text}` : `${text}\n`);
      isOnLine = isTerminal;
    },
    end() {
      if (isOnLine) stderr.write('\n');
      isOnLine = false;
    },
  };
}
