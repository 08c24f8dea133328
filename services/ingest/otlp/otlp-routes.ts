import { setImmediate } from 'node:timers/promises';
import type { Context } from 'koa';
import { HttpProblem } from '#http';
import { SIGNALS } from '#otlp';
import type { BodyForm } from '../body-forms.ts';
import { type OtlpOptions, answerProblem, createOtlpForm, encodingOfContent } from './otlp-forms.ts';

type Handler = (ctx: Context) => Promise<void>;

/** The paths of OTLP/HTTP. `receive` makes the handler of a form. */
export function createOtlpRoutes(
  receive: (form: BodyForm) => Handler,
  shared: Omit<OtlpOptions, 'turn'>,
): (readonly [path: string, handle: Handler])[] {
  const options = { ...shared, turn: createTurns() };
  return SIGNALS.map((signal) => {
    const handlers = {
      protobuf: receive(createOtlpForm(signal, 'protobuf', options)),
      json: receive(createOtlpForm(signal, 'json', options)),
    };
    const handle: Handler = async (ctx) => {
      const encoding = encodingOfContent(ctx.req);
      try {
        await handlers[encoding](ctx);
      } catch (error) {
        if (!(error instanceof HttpProblem)) throw error;
        answerProblem(ctx, encoding, error);
      }
    };
    return [`/v1/${signal}`, handle];
  });
}

/**
 * One body is read in each turn of the event loop. A body may take a tenth of a second, and other requests must not wait for those of
 * several connections.
 */
function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  const after = async (earlier: Promise<void>): Promise<void> => {
    await earlier;
    await setImmediate();
  };
  return () => {
    last = after(last);
    return last;
  };
}
