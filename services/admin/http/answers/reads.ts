import type { Context } from 'koa';

/** Whether the answer is JSON that was read, not changed. A 304 counts as such an answer. */
export function isJsonRead({ method, status, response }: Context): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && (status === 304 || (status === 200 && response.is('json') === 'json'));
}
