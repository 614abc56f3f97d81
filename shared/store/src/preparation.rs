//! Making the table and the bucket of an embedded store. On AWS the template makes them.

use aws_sdk_dynamodb::operation::create_table::CreateTableError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType, TimeToLiveSpecification,
};
use aws_sdk_s3::operation::create_bucket::CreateBucketError;
use prevet_app::error::StorageError;

use crate::{Store, failed};

impl Store {
    /// Makes the table and the bucket where they are missing.
    pub async fn create_missing(&self) -> Result<(), StorageError> {
        self.create_table().await?;
        self.create_bucket().await
    }

    async fn create_table(&self) -> Result<(), StorageError> {
        let action = "making the table";
        let attribute = |name: &str| {
            AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build()
        };
        let key = |name: &str, kind: KeyType| {
            KeySchemaElement::builder().attribute_name(name).key_type(kind).build()
        };
        let request = self
            .dynamodb
            .create_table()
            .table_name(&self.table)
            .billing_mode(BillingMode::PayPerRequest)
            .attribute_definitions(attribute("pk").map_err(|error| failed(action, error))?)
            .attribute_definitions(attribute("sk").map_err(|error| failed(action, error))?)
            .key_schema(key("pk", KeyType::Hash).map_err(|error| failed(action, error))?)
            .key_schema(key("sk", KeyType::Range).map_err(|error| failed(action, error))?);
        match request.send().await {
            Ok(_) => self.set_time_to_live().await,
            Err(error)
                if error.as_service_error().is_some_and(CreateTableError::is_resource_in_use_exception) =>
            {
                Ok(())
            }
            Err(error) => Err(failed(action, error)),
        }
    }

    async fn set_time_to_live(&self) -> Result<(), StorageError> {
        let action = "setting the table's time to live";
        let setting = TimeToLiveSpecification::builder().enabled(true).attribute_name("expires_at").build();
        let setting = setting.map_err(|error| failed(action, error))?;
        let request =
            self.dynamodb.update_time_to_live().table_name(&self.table).time_to_live_specification(setting);
        request.send().await.map(|_| ()).map_err(|error| failed(action, error))
    }

    async fn create_bucket(&self) -> Result<(), StorageError> {
        let there = |error: &CreateBucketError| {
            error.is_bucket_already_exists() || error.is_bucket_already_owned_by_you()
        };
        match self.s3.create_bucket().bucket(&self.bucket).send().await {
            Ok(_) => Ok(()),
            Err(error) if error.as_service_error().is_some_and(there) => Ok(()),
            Err(error) => Err(failed("making the bucket", error)),
        }
    }
}
