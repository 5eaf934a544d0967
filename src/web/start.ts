/**
 * The first script of the page, without styles of its own: what is in the document stays on the
 * screen whatever becomes of the rest. It loads the app, and says so when that fails.
 */

// a page that was open over an update asks for files that are gone: it loads anew, once
addEventListener('vite:preloadError', (event) => {
  try {
    if (sessionStorage.getItem('predictd.reloaded') === location.pathname) return;
    sessionStorage.setItem('predictd.reloaded', location.pathname);
  } catch {
    // without storage nothing says that it was tried, and it must not be tried for ever
    return;
  }
  event.preventDefault();
  location.reload();
});

import('./main.tsx').catch((error: unknown) => {
  const said = document.querySelector('#app p');
  if (said === null) throw error;
  const again = document.createElement('a');
  again.href = '';
  again.textContent = 'Load the page again';
  said.replaceChildren('The app did not load: one of its files did not come. ', again, '.');
});
