//! Jobs of surfaces, which run by themselves.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::host::Host;
use crate::surface::Panel;
use crate::{clock, follow, run};

/// How often due jobs are looked for.
const EVERY: Duration = Duration::from_millis(250);

/// Runs what is due, for as long as there is a host.
pub(crate) async fn run(host: Weak<Host>) {
    loop {
        tokio::time::sleep(EVERY).await;
        let Some(host) = host.upgrade() else { return };
        if host.door.jobs().next_due().is_none_or(|next| next > clock::now()) {
            continue;
        }
        for (job, mut action) in host.door.due(&host.engine, clock::now()).await {
            let host = Arc::clone(&host);
            tokio::spawn(async move {
                let panel = Panel { host: Arc::clone(&host), canvas: job.key.canvas.clone() };
                let over = action
                    .drive(&host.engine, &panel, clock::now, |event| follow::notify(&host, &event))
                    .await;
                match over {
                    Ok(over) => host.door.job_over(&job, &over, clock::now()),
                    Err(error) => {
                        run::log(&format_args!(
                            "the job {} of {} did not end: {error}",
                            job.key.job, job.key.canvas
                        ));
                        host.door.jobs().settle(job.token, false, clock::now());
                    }
                }
            });
        }
    }
}
