export type KnownAnswer = {
  readonly data: unknown;
  readonly etag: string | undefined;
  readonly readAt: number;
};

/** The last answers by path, so that a page that was seen before appears at once. */
export type Answers = {
  readonly get: (path: string) => KnownAnswer | undefined;
  readonly set: (path: string, answer: KnownAnswer) => void;
  readonly clear: () => void;
};

const MAX_ANSWERS = 50;

export function createAnswers(): Answers {
  const answers = new Map<string, KnownAnswer>();
  return {
    get: (path) => answers.get(path),
    set(path, answer) {
      answers.delete(path);
      answers.set(path, answer);
      const [oldest] = answers.keys();
      if (answers.size > MAX_ANSWERS && oldest !== undefined) answers.delete(oldest);
    },
    clear() {
      answers.clear();
    },
  };
}
