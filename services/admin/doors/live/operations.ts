import type { Operation } from '../../http/operation.ts';
import type { Live } from './live.ts';
import { liveSchema } from './schema.ts';

/** The stream of what happens now. */
export function liveOperations(live: Pick<Live, 'listen'>): Operation[] {
  return [
    {
      id: 'streamLive',
      scope: 'visible',
      queue: 'none',
      method: 'get',
      path: '/api/admin/live',
      tag: 'Usage',
      summary: 'Numbers, new verdicts and steps of change requests as they happen, as server-sent events',
      permission: 'READ',
      answer: {
        status: 200,
        description:
          'The stream begins with the current state. It does not repeat missed events: Last-Event-ID is ignored.',
        contentType: 'text/event-stream',
        schema: liveSchema,
        example:
          'event: change-request\ndata: {"eventId":17,"type":"change-request-approved","createdBy":"ana","createdAt":"2026-11-22T10:15:00.000Z","changeRequestId":3,"project":"default","environment":"production"}\n\n',
      },
      run: ({ caller, visible, isStillAllowed }) =>
        Promise.resolve(live.listen({ caller, visible, isStillAllowed })),
    },
  ];
}
