import Router from '@koa/router';
import type { Context } from 'koa';
import { problemOfName } from '#domain';
import { HttpProblem, authenticate } from '#http';
import type { Config } from '#runtime';
import { type Postgres, type VerifiedTokens, createEvents, createStrategies } from '#stores';

export type AdminOptions = {
  readonly config: Config;
  readonly tokens: VerifiedTokens;
  readonly db: Postgres;
};

/** Events returned when no project is named (interface-spec 8). */
const LATEST_EVENTS = 100;

export type Admin = {
  readonly router: Router;
  /** Undefined while ready, else what it waits for. */
  readiness(): Promise<string | undefined>;
};

/** The admin API: what an admin UI reads. */
export function createAdmin(options: AdminOptions): Admin {
  return {
    router: createRouter(options),
    readiness: async () => {
      try {
        await options.db.query('select 1');
        return undefined;
      } catch {
        return 'Postgres cannot be reached.';
      }
    },
  };
}

function createRouter({ config, tokens, db }: AdminOptions): Router {
  const strategies = createStrategies(db);
  const events = createEvents(db);
  const router = new Router({ prefix: '/api/admin' });
  if (config.auth.type === 'tokens') router.use(authenticate(tokens, ({ type }) => type === 'admin'));

  router.get('/strategies', async (ctx) => {
    ctx.body = { version: 1, strategies: await strategies.list() };
  });

  router.get('/events', async (ctx) => {
    const project = queryValue(ctx, 'project');
    if (project === undefined) {
      const latest = await events.listLatest(LATEST_EVENTS);
      ctx.body = { version: 1, events: latest.events, totalEvents: latest.total };
      return;
    }
    const found = isPossibleName(project) ? await events.listOfProject(project) : [];
    ctx.body = { version: 1, events: found, totalEvents: found.length };
  });

  router.get('/events/:toggleName', async (ctx) => {
    const toggleName = String(ctx.params['toggleName']);
    const found = isPossibleName(toggleName) ? await events.listOfFeature(toggleName) : [];
    ctx.body = { version: 1, toggleName, events: found, totalEvents: found.length };
  });
  return router;
}

/** Postgres cannot even compare with a NUL; nothing is called that. */
function isPossibleName(name: string): boolean {
  return problemOfName(name) === undefined;
}

function queryValue(ctx: Context, name: string): string | undefined {
  const value = ctx.query[name];
  if (Array.isArray(value)) throw new HttpProblem(400, `The parameter ${name} may be given once.`);
  return value === '' ? undefined : value;
}
