import type pg from 'pg';
import { currentSpan, describeStatement, traced } from '#base/runtime';

/**
 * The pool, with a span for each statement that traced work runs. The pool itself calls `connect` and `query` of its clients
 * from whichever request returned a client last, so the span begins at the call of our code, not there.
 */
export function tracedPool(pool: pg.Pool): pg.Pool {
  return withTracedQueries(pool, {
    async connect() {
      const client = await pool.connect();
      return currentSpan() === undefined ? client : withTracedQueries(client, {});
    },
  });
}

/** `others` replaces further members. */
function withTracedQueries<T extends pg.Pool | pg.PoolClient>(
  queryable: T,
  others: Readonly<Record<string | symbol, unknown>>,
): T {
  return new Proxy(queryable, {
    get(target, name) {
      if (Object.hasOwn(others, name)) return others[name];
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      const method = member.bind(target) as Method;
      return name === 'query' ? tracedQuery(method) : method;
    },
  });
}

type Method = (...args: readonly unknown[]) => unknown;

function tracedQuery(query: Method): Method {
  return (...args) => {
    if (currentSpan() === undefined) return query(...args);
    const describe = () => describeStatement('postgresql', textOf(args[0]));
    return traced(describe, () => Promise.resolve(query(...args)));
  };
}

/** The first argument of a query is its text or an object with it. */
function textOf(query: unknown): string {
  if (typeof query === 'object' && query !== null && 'text' in query) return String(query.text);
  return String(query);
}
