// Loaded before the daemon: at SIGUSR2 the process meets an error as libraries throw them, with a
// whole request inside, that is not caught.
process.on('SIGUSR2', () => {
  const {
    PREDICTD_MASTER_KEY: key,
    PREDICTD_INTERNAL_SECRET: secret,
    PREDICTD_TWILIO_SECRET: password,
  } = process.env;
  const request = {
    headers: {
      authorization: `Basic ${Buffer.from(`user:${password}`).toString('base64')}`,
      'x-internal-secret': secret,
    },
    body: `{"passphrase":"${secret}"}`,
  };
  const cause = Object.assign(new Error(`signing with 0x${key} failed`), { privateKey: key });
  setImmediate(() => {
    throw Object.assign(new Error(`request failed: {"secret":"${secret}"}`, { cause }), {
      request,
      key,
    });
  });
});
