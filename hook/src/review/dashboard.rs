//! Where this machine's dashboard, the page of its `prevet serve`, shows a session.

use super::Rounds;
use super::folder::SessionFolder;

/// The session's address on the dashboard; or why there is none.
pub(super) type Shown = Result<String, String>;

#[cfg(not(feature = "embedded"))]
impl Rounds {
    /// A build without a server has no dashboard.
    #[expect(clippy::unused_async, reason = "the same to callers, whether a server is embedded or not")]
    pub(super) async fn show_on_dashboard(&self, _folder: &SessionFolder, wanted: bool) -> Option<Shown> {
        wanted.then(|| Err("this build of prevet has no server of its own, and so no dashboard".to_owned()))
    }
}

#[cfg(feature = "embedded")]
mod embedded {
    use std::path::Path;

    use prevet_local::reviews::{self, ReviewId};

    use super::{Rounds, SessionFolder, Shown};
    use crate::error::chain;

    impl Rounds {
        /// Puts the session among those that the dashboard lists, and where it is `wanted`, says where it is shown.
        pub(in crate::review) async fn show_on_dashboard(
            &self,
            folder: &SessionFolder,
            wanted: bool,
        ) -> Option<Shown> {
            let registered = self.register(folder);
            if !wanted {
                return None;
            }
            Some(match registered {
                Ok(id) => self.address_of(&id).await,
                Err(why) => Err(why),
            })
        }

        fn register(&self, folder: &SessionFolder) -> Result<ReviewId, String> {
            let registered = reviews::register(self.data_dir()?, folder.path());
            registered.map_err(|error| chain(&error)).inspect_err(|why| folder.note(why))
        }

        async fn address_of(&self, id: &ReviewId) -> Shown {
            let data_dir = self.data_dir()?;
            let server = prevet_local::reachable(data_dir).await;
            server.and_then(|server| reviews::dashboard_url(&server, id)).ok_or_else(|| {
                format!(
                    "no `prevet serve` runs on {}, so nothing shows the review: start it, and it lists the review \
                     under /inbox/reviews",
                    data_dir.display()
                )
            })
        }

        fn data_dir(&self) -> Result<&Path, String> {
            let unset =
                "neither PREVET_DATA_DIR nor XDG_DATA_HOME nor HOME says where the dashboard keeps its data";
            self.data_dir.as_deref().ok_or_else(|| unset.to_owned())
        }
    }
}
