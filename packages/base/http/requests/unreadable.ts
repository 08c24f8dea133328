import { HttpProblem } from '../problems/problems.ts';

export function cutShort(bodyProblem: 'incomplete' | 'undecodable', cause?: unknown): HttpProblem {
  return new HttpProblem(400, 'The body could not be read.', {
    details: [{ path: '', message: 'must be complete and match its Content-Encoding' }],
    bodyProblem,
    cause,
  });
}

export function tooSlow(): HttpProblem {
  return new HttpProblem(408, 'The body did not arrive in time.', { headers: { Connection: 'close' } });
}

export function tooLarge(limit: number): HttpProblem {
  return new HttpProblem(413, `The body is larger than ${limit} bytes.`);
}

/** The connection ends, because the rest of the body would cost as much. */
export function tooManyChunks(): HttpProblem {
  return new HttpProblem(413, 'The body has too many chunks. Send larger ones.', {
    headers: { Connection: 'close' },
  });
}
