/** The HTTP server that all services share: errors, authentication, bodies, health. */
export * from './address.ts';
export * from './authenticate.ts';
export { BROWSER_HEADERS } from './browser-headers.ts';
export { errorSchema } from './error-schema.ts';
export { healthSchema } from './health-schema.ts';
export * from './limit-address.ts';
export * from './problems.ts';
export { labelsOf, setRoute } from './request-labels.ts';
export * from './requests/read-body.ts';
export * from './serve.ts';
export * from './trusted-proxies.ts';
export { traceRequests } from './trace-requests.ts';
