import { type ApiRequest, MAX_ANSWER_BYTES, type SendRequest } from '#tooling/mcp';
import type { AdminApi } from '../../admin-api.ts';

/** Sends the requests of tools to the admin API. */
export function createSender(api: AdminApi): SendRequest {
  return (request, signal) => {
    const { method, body } = request;
    return api.send({ method: method.toUpperCase(), path: pathOf(request), body, signal }, MAX_ANSWER_BYTES);
  };
}

function pathOf({ path, parameters, query }: ApiRequest): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  );
  const pairs = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return pairs.length === 0 ? filled : `${filled}?${new URLSearchParams(pairs).toString()}`;
}
