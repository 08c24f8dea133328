/** The types of the package do not support our kind of import. */
declare module 'unleash-proxy-client' {
  export class InMemoryStorageProvider {
    get(name: string): Promise<unknown>;
  }
  export class UnleashClient {
    constructor(config: {
      readonly url: string;
      readonly clientKey: string;
      readonly appName: string;
      readonly refreshInterval: number;
      readonly metricsInterval: number;
      readonly metricsIntervalInitial: number;
      readonly storageProvider: InMemoryStorageProvider;
      readonly fetch: typeof fetch;
    });
    readonly impactMetrics: {
      defineCounter(name: string, help: string): void;
      incrementCounter(name: string, value?: number, flags?: { readonly flagNames: string[] }): void;
    };
    on(event: string, listener: (problem: unknown) => void): this;
    start(): Promise<void>;
    stop(): void;
    isEnabled(feature: string): boolean;
    updateContext(context: { readonly userId: string }): Promise<void>;
    sendMetrics(): Promise<void>;
  }
}
