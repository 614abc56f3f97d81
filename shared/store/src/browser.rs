//! Sessions of browsers, and links to sign in.

use aws_sdk_dynamodb::types::ReturnValue;
use prevet_app::browser::{BrowserSession, BrowserStore, SignInLink};
use prevet_app::error::StorageError;
use serde::Serialize;

use crate::item::{Key, data};
use crate::{Store, failed};

impl Key {
    /// A browser's session.
    pub fn browser_session(token_hash: &str) -> Self {
        Self::new(format!("browser#{token_hash}"), "session")
    }

    /// A link to sign in.
    pub fn sign_in_link(code_hash: &str) -> Self {
        Self::new(format!("sign-in#{code_hash}"), "link")
    }
}

impl BrowserStore for Store {
    async fn put_browser_session(
        &self,
        token_hash: &str,
        session: &BrowserSession,
    ) -> Result<(), StorageError> {
        self.put_until(Key::browser_session(token_hash), session, session.expires_at).await
    }

    async fn browser_session(&self, token_hash: &str) -> Result<Option<BrowserSession>, StorageError> {
        self.read_one(&Key::browser_session(token_hash)).await
    }

    async fn delete_browser_session(&self, token_hash: &str) -> Result<(), StorageError> {
        let key = Key::browser_session(token_hash).attributes();
        let request = self.dynamodb.delete_item().table_name(&self.table).set_key(Some(key));
        request.send().await.map(|_| ()).map_err(|error| failed("signing a browser out", error))
    }

    async fn put_sign_in_link(&self, code_hash: &str, link: &SignInLink) -> Result<(), StorageError> {
        self.put_until(Key::sign_in_link(code_hash), link, link.expires_at).await
    }

    async fn take_sign_in_link(&self, code_hash: &str) -> Result<Option<SignInLink>, StorageError> {
        let key = Key::sign_in_link(code_hash).attributes();
        let request = self.dynamodb.delete_item().table_name(&self.table).set_key(Some(key));
        let answer = request.return_values(ReturnValue::AllOld).send().await;
        let answer = answer.map_err(|error| failed("taking a link to sign in", error))?;
        answer.attributes.map(data).transpose()
    }
}

impl Store {
    async fn put_until(
        &self,
        key: Key,
        value: &(impl Serialize + Sync),
        expires_at: u64,
    ) -> Result<(), StorageError> {
        let item = key.item(value, Some(expires_at)).attributes()?;
        let request = self.dynamodb.put_item().table_name(&self.table).set_item(Some(item));
        request.send().await.map(|_| ()).map_err(|error| failed("keeping who is signed in", error))
    }
}
