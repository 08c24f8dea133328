import { render } from 'preact';
import { ConsoleContext, createConsole } from './console.ts';
import { App } from './pages/app/app.tsx';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no #app');
const shared = createConsole(window);
render(
  <ConsoleContext.Provider value={shared}>
    <App />
  </ConsoleContext.Provider>,
  root,
);
