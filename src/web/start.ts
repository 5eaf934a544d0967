/**
 * The first script of the page, without styles of its own: what is in the document stays on the
 * screen whatever becomes of the rest. It loads the app, and says so when that fails.
 */

import('./main.tsx').catch((error: unknown) => {
  const said = document.querySelector('#app p');
  if (said === null) throw error;
  const again = document.createElement('a');
  again.href = '';
  again.textContent = 'Load the page again';
  said.replaceChildren('The app did not load: one of its files did not come. ', again, '.');
});
