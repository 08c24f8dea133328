/** For `--import`: runs the sources, with tsx where Node is too old to leave out the types itself (decision 228). */
if (process.features.typescript !== 'strip') await import('tsx');
