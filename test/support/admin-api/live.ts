import { type IncomingMessage, get } from 'node:http';
import { eventually } from '../eventually.ts';
import { ADMIN_TOKEN } from '../world.ts';

export type Event = { readonly name: string; readonly data: Record<string, unknown> };

/** A listener. `events` grows while it listens; `ended` resolves when the server has ended the stream. */
export type Listening = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly events: readonly Event[];
  readonly ended: Promise<void>;
  readonly leave: () => void;
};

export async function listen(url: string, token = ADMIN_TOKEN): Promise<Listening> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/admin/live`, { headers: { authorization: token }, agent: false }, resolve).once(
      'error',
      reject,
    );
  });
  const events: Event[] = [];
  let rest = '';
  answer.setEncoding('utf8').on('data', (text: string) => {
    const blocks = (rest + text).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, name, data] = /^event: (.+)\ndata: (.+)$/.exec(block) ?? [];
      if (name !== undefined && data !== undefined)
        events.push({ name, data: JSON.parse(data) as Event['data'] });
    }
  });
  const ended = new Promise<void>((resolve) => {
    answer.once('close', resolve);
  });
  answer.on('error', () => undefined);
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    events,
    ended,
    leave: () => answer.destroy(),
  };
}

export function untilEvent(
  { events }: Listening,
  name: string,
  isIt: (data: Event['data']) => boolean = () => true,
): Promise<Event | undefined> {
  return eventually(
    () => Promise.resolve(events.find((event) => event.name === name && isIt(event.data))),
    (event) => event !== undefined,
    60_000,
  );
}
