import { expect } from 'chai';
import { parseTraceparent } from '../../../../../packages/base/runtime/tracing/traceparent.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const SPAN_ID = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it('names trace, span and flags', () => {
    const context = { traceId: TRACE_ID, spanId: SPAN_ID, traceFlags: 1, isRemote: true };
    expect(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-01`)).to.deep.equal(context);
  });

  for (const text of [
    '',
    'anything',
    `00-${TRACE_ID}-${SPAN_ID}`,
    `ff-${TRACE_ID}-${SPAN_ID}-01`,
    `00-${'0'.repeat(32)}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${'0'.repeat(16)}-01`,
    `00-${TRACE_ID.toUpperCase()}-${SPAN_ID}-01`,
    `00-${TRACE_ID}-${SPAN_ID}-01-more`,
  ])
    it(`is ignored if it is ${text === '' ? 'empty' : text}`, () => {
      expect(parseTraceparent(text)).to.equal(undefined);
    });
});
