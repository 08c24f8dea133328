/** The HTTP server that all services share: errors, authentication, bodies, health. */
export * from './addresses/address.ts';
export * from './authenticate.ts';
export { BROWSER_HEADERS } from './browser-headers.ts';
export { errorSchema } from './problems/error-schema.ts';
export { healthSchema } from './health/health-schema.ts';
export * from './addresses/limit-address.ts';
export * from './problems/body-problems.ts';
export * from './problems/problems.ts';
export { labelsOf, setRoute } from './request-labels.ts';
export { type Query, readQuery } from './requests/query.ts';
export * from './requests/decode-body.ts';
export * from './requests/read-body.ts';
export { cutTinyChunks } from './requests/tiny-chunks.ts';
export * from './serve.ts';
export * from './addresses/trusted-proxies.ts';
export * from './turns.ts';
export { traceRequests } from './trace-requests.ts';
