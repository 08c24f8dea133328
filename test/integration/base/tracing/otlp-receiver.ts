import { type IncomingMessage, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { inBackground } from '#base/runtime';
import { eventually } from '../../../support/eventually.ts';

/** A span as OTLP/JSON encodes it. */
export type ReceivedSpan = {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: { readonly code?: number };
  /** Of the resource. */
  readonly service: string;
};

type Export = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: ReceivedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ReceivedSpan, 'service'>[] }[];
  }[];
};

export type Request = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

/** A receiver of OTLP over HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export async function startOtlpReceiver() {
  const requests: Request[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    inBackground(
      buffer(request).then((body) => {
        requests.push({ path: request.url ?? '', headers: request.headers, body });
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const spans = (): ReceivedSpan[] => requests.flatMap(({ body }) => spansOf(body));
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    /** Answers later exports with this status. */
    answerWith(next: number): void {
      status = next;
    },
    spans,
    /** Waits for a span, which may arrive after spans that ended later. */
    async span(isWanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan> {
      const found = await eventually(
        () => Promise.resolve(spans().find(isWanted)),
        (span) => span !== undefined,
      );
      if (found === undefined) throw new Error('no span'); // eventually has thrown
      return found;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf(body: Buffer): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body.toString()) as Export; // the official exporter wrote it
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(attributeOf(resource, 'service.name'));
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
  });
}

export function attributeOf({ attributes }: Pick<ReceivedSpan, 'attributes'>, name: string): unknown {
  const found = attributes.find(({ key }) => key === name);
  return found && Object.values(found.value)[0];
}
