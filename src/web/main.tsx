import '@fontsource-variable/geist';
import './ui/tokens.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query.ts';
import { session } from './api/session.ts';
import { App } from './app/app.tsx';
import { Faults } from './app/faults.tsx';
import { applyPreferences } from './app/preferences.ts';
import { registerWorker } from './app/push.ts';

applyPreferences();
void session.start();
void registerWorker();

const root = document.getElementById('app');
if (root === null) throw new Error('index.html has no #app');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <Faults>
        <App />
      </Faults>
    </QueryClientProvider>
  </StrictMode>,
);
