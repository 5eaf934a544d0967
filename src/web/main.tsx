import '@fontsource-variable/geist';
import './ui/tokens.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query.ts';
import { session } from './api/session.ts';
import { App } from './app/app.tsx';
import { applyPreferences } from './app/preferences.ts';
import { registerWorker } from './app/push.ts';

applyPreferences();
void session.start();
void registerWorker();

// a page that was open over an update asks for files that are gone: it loads anew, once
addEventListener('vite:preloadError', (event) => {
  if (sessionStorage.getItem('predictd.reloaded') === location.pathname) return;
  sessionStorage.setItem('predictd.reloaded', location.pathname);
  event.preventDefault();
  location.reload();
});

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
);
