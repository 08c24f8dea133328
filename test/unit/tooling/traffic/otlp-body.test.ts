import { expect } from 'chai';
import { DEFAULT_REFUSAL_LIMITS, aggregateEvaluations, keyOfSender, inOneGo } from '#core/counting';
import {
  evaluationsOf,
  instanceOfBody,
  readOtlp,
} from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { createSender } from '../../../../packages/tooling/traffic/load/bodies/body.ts';
import { createKeys } from '../../../../packages/tooling/traffic/load/bodies/keys.ts';
import { OtlpBody } from '../../../../packages/tooling/traffic/load/bodies/otlp-body.ts';
import { aggregateOptions } from '../../../support/builders/builders.ts';

const space = { features: 40, apps: 3, environments: ['production'], skew: 1, seed: 7 };
const startedAt = new Date('2026-11-21T10:20:30.123Z');

for (const encoding of ['protobuf', 'json'] as const)
  describe(`a body of the load as OpenTelemetry ${encoding}`, () => {
    const url = new URL('http://127.0.0.1:4242/v1/metrics');
    const createBody = () =>
      new OtlpBody({ url, token: '*:*.secret', keys: createKeys(space, 20)(), startedAt, seed: 7, encoding });

    function read({ bytes }: OtlpBody) {
      const content = bytes.subarray(bytes.indexOf('\r\n\r\n') + 4);
      const encoded =
        encoding === 'json' ? { json: JSON.parse(content.toString()) as unknown } : { protobuf: content };
      const found = inOneGo(readOtlp('metrics', encoded));
      if ('problem' in found) throw new Error(found.problem);
      return found;
    }

    it('contains the sums that it states, without refusals', () => {
      const body = createBody();
      for (let sequence = 0; sequence < 200; sequence += 1) {
        const stated = body.fill(sequence, createSender());
        const receivedAt = startedAt.getTime() + 5000;
        const { received, refusals, sums } = inOneGo(
          aggregateEvaluations(evaluationsOf(read(body), { environment: '*' }), {
            ...aggregateOptions({ limits: DEFAULT_REFUSAL_LIMITS }),
            receivedAt,
          }),
        );
        const found = { rows: received, yes: 0, no: 0, variants: 0 };
        for (let row = 0; row < sums.rowCount; row += 1) {
          found.yes += sums.yesOf(row);
          found.no += sums.noOf(row);
          for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at))
            found.variants += sums.countOfVariant(at);
        }
        expect([refusals, found]).to.deep.equal([[], stated]);
      }
    });

    it('is from the instance of its connection, and differs from all others of it', () => {
      const body = createBody();
      const sender = createSender();
      const texts = [0, 1, 999_999_999].map((sequence) => {
        body.fill(sequence, sender);
        expect(instanceOfBody(read(body))).to.equal(keyOfSender(`otlp ${sender.toString()}`));
        return body.bytes.toString('latin1');
      });
      expect(new Set(texts).size).to.equal(3);
    });

    it('declares its length', () => {
      const { bytes } = createBody();
      const at = bytes.indexOf('\r\n\r\n') + 4;
      expect(bytes.toString('latin1', 0, at)).to.include(`Content-Length: ${bytes.length - at}\r\n`);
    });
  });
