export type SentEvent = { readonly name: string; readonly data: string };

/** A message of the server is a few hundred bytes. */
const MAX_CHARACTERS = 256 * 1024;

/**
 * Returns a parser of server-sent events. It receives the text of the stream piece by piece and returns the events that are
 * complete, without comments. Throws if an event does not end. https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function createSentEvents(): (piece: string) => SentEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = `${rest}${piece}`.split('\n\n');
    rest = blocks.pop() ?? '';
    if (rest.length > MAX_CHARACTERS) throw new Error('an event does not end');
    return blocks.flatMap(parse);
  };
}

function parse(block: string): SentEvent[] {
  const fields = block.split('\n').map((line) => /^(event|data): ?(.*)$/.exec(line));
  const valueOf = (field: string) => fields.find((found) => found?.[1] === field)?.[2];
  const data = valueOf('data');
  return data === undefined ? [] : [{ name: valueOf('event') ?? 'message', data }];
}
