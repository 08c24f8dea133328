/** The Koa that all services share: errors, authentication, bodies, health. */
export * from './address.ts';
export * from './authenticate.ts';
export * from './limit-address.ts';
export * from './problems.ts';
export * from './read-body.ts';
export * from './serve.ts';
