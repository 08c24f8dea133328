import type { EngineSettings } from '#tooling/stack';

/**
 * What the engines of tests do without to save CPU, because no test is about it. `logsQueries`: whether ClickHouse records each
 * statement and its CPU in system.query_log.
 */
export function settingsOfTests({ logsQueries = false } = {}): EngineSettings {
  return {
    clickhouse: {
      // After each change a table looks more and more rarely for parts to merge, and its first looks follow within a second. The
      // memory worker reads the use of memory 20 times a second.
      server: `
        ${logsQueries ? '<query_log><table>query_log</table></query_log>' : ''}
        <background_processing_pool_thread_sleep_seconds_if_nothing_to_do>2</background_processing_pool_thread_sleep_seconds_if_nothing_to_do>
        <memory_worker_period_ms>1000</memory_worker_period_ms>`,
      // Machine code pays only if a query reads millions of rows.
      queries: {
        compile_expressions: '0',
        compile_aggregate_expressions: '0',
        compile_sort_description: '0',
      },
    },
    // Without the records by which an idle controller shows that it is alive, and with the usual heartbeats: nobody kills this broker.
    kafka: {
      'metadata.max.idle.interval.ms': '0',
      'broker.heartbeat.interval.ms': '2000',
      'broker.session.timeout.ms': '9000',
    },
  };
}
