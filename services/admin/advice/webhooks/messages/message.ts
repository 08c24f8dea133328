/** What is told, and is stored with its delivery. */
export type Message = {
  readonly id: string;
  /** For example verdict.appeared, event, summary or test. */
  readonly type: string;
  /** When it happened. */
  readonly at: Date;
  readonly data: MessageData;
};

export type MessageData = {
  /** What happened, in one sentence. */
  readonly sentence: string;
  /** Path of the page of the console. */
  readonly page: string;
  /** Of summaries: the first sentences. */
  readonly items?: readonly MessageItem[];
  readonly [member: string]: unknown;
};

export type MessageItem = { readonly sentence: string; readonly page: string };

/** The body of a webhook. It is the same in each attempt. */
export function webhookBody({ type, at, data }: Message, consoleUrl: string | undefined): string {
  const { page, items, ...others } = data;
  return JSON.stringify({
    type,
    timestamp: at.toISOString(),
    data: {
      ...others,
      ...linkOf(page, consoleUrl),
      ...(items && {
        items: items.map((item) => ({ sentence: item.sentence, ...linkOf(item.page, consoleUrl) })),
      }),
    },
  });
}

function linkOf(page: string, consoleUrl: string | undefined): { readonly link?: string } {
  return consoleUrl === undefined ? {} : { link: pageUrl(page, consoleUrl) };
}

export function pageUrl(page: string, consoleUrl: string): string {
  return `${consoleUrl.replace(/\/+$/, '')}/#/${page}`;
}
