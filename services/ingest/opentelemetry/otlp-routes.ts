import { HttpProblem } from '#base/http';
import { KnownPoints, SIGNALS } from './reading/index.ts';
import type { Handler } from '../annex.ts';
import type { BodyForm } from '../body-forms.ts';
import { LongBodies } from '../bodies/long-bodies.ts';
import { type OtlpOptions, answerProblem, createOtlpForm, encodingOfContent } from './otlp-forms.ts';

/** The paths of OTLP/HTTP. `receive` makes the handler of a form. */
export function createOtlpRoutes(
  receive: (form: BodyForm) => Handler,
  shared: Omit<OtlpOptions, 'longBodies' | 'knownPoints'>,
): (readonly [path: string, handle: Handler])[] {
  const options = { ...shared, longBodies: new LongBodies(), knownPoints: new KnownPoints() };
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
