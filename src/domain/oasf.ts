/**
 * The slugs of the Open Agentic Schema Framework that the agent registry takes: all of those in its
 * package (8004-solana 0.8.3, `oasf-data`), by category.
 */

const SKILLS = {
  advanced_reasoning_planning: `
    advanced_reasoning_planning chain_of_thought_structuring hypothesis_generation
    long_horizon_reasoning strategic_planning
  `,
  agent_orchestration: `
    agent_coordination agent_orchestration multi_agent_planning negotiation_resolution
    role_assignment task_decomposition
  `,
  analytical_skills: `
    analytical_skills coding_skills/code_optimization coding_skills/code_templates
    coding_skills/code_to_docstrings coding_skills/coding_skills coding_skills/text_to_code
    mathematical_reasoning/geometry mathematical_reasoning/math_word_problems
    mathematical_reasoning/mathematical_reasoning
    mathematical_reasoning/pure_math_operations mathematical_reasoning/theorem_proving
  `,
  audio: 'audio audio_classification audio_to_audio',
  data_engineering: `
    data_cleaning data_engineering data_quality_assessment data_transformation_pipeline
    feature_engineering schema_inference
  `,
  devops_mlops: `
    ci_cd_configuration deployment_orchestration devops_mlops infrastructure_provisioning
    model_versioning monitoring_alerting
  `,
  evaluation_monitoring: `
    anomaly_detection benchmark_execution evaluation_monitoring performance_monitoring
    quality_evaluation test_case_generation
  `,
  governance_compliance: `
    audit_trail_summarization compliance_assessment governance_compliance policy_mapping
    risk_classification
  `,
  images_computer_vision: `
    depth_estimation image_classification image_feature_extraction image_generation
    image_segmentation image_to_3d image_to_image images_computer_vision keypoint_detection
    mask_generation object_detection video_classification
  `,
  multi_modal: `
    any_to_any audio_processing/audio_processing audio_processing/speech_recognition
    audio_processing/text_to_speech image_processing/image_processing
    image_processing/image_to_text image_processing/text_to_3d
    image_processing/text_to_image image_processing/text_to_video image_processing/visual_qa
    multi_modal
  `,
  natural_language_processing: `
    analytical_reasoning/analytical_reasoning analytical_reasoning/fact_verification
    analytical_reasoning/inference_deduction analytical_reasoning/problem_solving
    creative_content/creative_content creative_content/poetry_writing
    creative_content/storytelling ethical_interaction/bias_mitigation
    ethical_interaction/content_moderation ethical_interaction/ethical_interaction
    feature_extraction/feature_extraction feature_extraction/model_feature_extraction
    information_retrieval_synthesis/document_passage_retrieval
    information_retrieval_synthesis/fact_extraction
    information_retrieval_synthesis/information_retrieval_synthesis
    information_retrieval_synthesis/knowledge_synthesis
    information_retrieval_synthesis/question_answering
    information_retrieval_synthesis/search
    information_retrieval_synthesis/sentence_similarity
    language_translation/language_translation
    language_translation/multilingual_understanding language_translation/translation
    natural_language_generation/dialogue_generation
    natural_language_generation/natural_language_generation
    natural_language_generation/paraphrasing natural_language_generation/question_generation
    natural_language_generation/story_generation natural_language_generation/style_transfer
    natural_language_generation/summarization natural_language_generation/text_completion
    natural_language_processing natural_language_understanding/contextual_comprehension
    natural_language_understanding/entity_recognition
    natural_language_understanding/natural_language_understanding
    natural_language_understanding/semantic_understanding personalization/personalization
    personalization/style_adjustment personalization/user_adaptation
    text_classification/natural_language_inference text_classification/sentiment_analysis
    text_classification/text_classification text_classification/topic_labeling
    token_classification/named_entity_recognition token_classification/pos_tagging
    token_classification/token_classification
  `,
  retrieval_augmented_generation: `
    document_or_database_question_answering generation_of_any retrieval_augmented_generation
    retrieval_of_information/document_retrieval retrieval_of_information/indexing
    retrieval_of_information/retrieval_of_information retrieval_of_information/search
  `,
  security_privacy: `
    privacy_risk_assessment secret_leak_detection security_privacy threat_detection
    vulnerability_analysis
  `,
  tabular_text: 'tabular_classification tabular_regression tabular_text',
  tool_interaction: `
    api_schema_understanding script_integration tool_interaction tool_use_planning
    workflow_automation
  `,
};

const DOMAINS = {
  agriculture: `
    agricultural_technology agriculture crop_management livestock_management
    precision_agriculture sustainable_farming
  `,
  education: `
    curriculum_design e_learning education educational_technology
    learning_management_systems pedagogy
  `,
  energy: `
    energy energy_management energy_storage oil_and_gas power_generation renewable_energy
    smart_grids
  `,
  environmental_science: `
    climate_science conservation_biology ecology environmental_monitoring
    environmental_policy environmental_science sustainability
  `,
  finance_and_business: `
    banking consumer_goods finance finance_and_business investment_services retail
  `,
  government_and_public_sector: `
    civic_engagement e_government emergency_management government_and_public_sector
    public_administration public_infrastructure public_policy
  `,
  healthcare: `
    health_information_systems healthcare healthcare_informatics medical_technology
    patient_management_systems telemedicine
  `,
  hospitality_and_tourism: `
    event_planning food_and_beverage hospitality_and_tourism hospitality_technology
    hotel_management tourism_management travel_services
  `,
  human_resources: `
    compensation_and_benefits employee_relations hr_analytics human_resources recruitment
    training_and_development
  `,
  industrial_manufacturing: `
    automation industrial_manufacturing lean_manufacturing process_engineering robotics
    supply_chain_management
  `,
  insurance: `
    actuarial_science claims_processing insurance insurance_sales insurtech
    policy_management underwriting
  `,
  legal: `
    contract_law corporate_governance intellectual_property legal legal_research litigation
    regulatory_compliance
  `,
  life_science: `
    bioinformatics biotechnology genomics life_science molecular_biology
    pharmaceutical_research
  `,
  marketing_and_advertising: `
    advertising brand_management digital_marketing market_research marketing_analytics
    marketing_and_advertising marketing_automation
  `,
  media_and_entertainment: `
    broadcasting content_creation digital_media gaming media_and_entertainment publishing
    streaming_services
  `,
  real_estate: `
    construction facilities_management property_management proptech real_estate
    real_estate_investment urban_planning
  `,
  research_and_development: `
    grant_management innovation_management laboratory_management product_development
    research_and_development research_data_management scientific_research
  `,
  retail_and_ecommerce: `
    customer_experience inventory_management online_retail order_fulfillment point_of_sale
    retail_analytics retail_and_ecommerce
  `,
  social_services: `
    case_management child_and_family_services community_outreach disability_services
    housing_assistance mental_health_services social_services
  `,
  sports_and_fitness: `
    athletic_training fitness_and_wellness sports_analytics sports_and_fitness
    sports_management sports_medicine sports_technology
  `,
  technology: `
    automation/automation automation/rpa automation/workflow_automation
    blockchain/blockchain blockchain/cryptocurrency blockchain/defi
    blockchain/smart_contracts cloud_computing/aws cloud_computing/azure
    cloud_computing/cloud_computing cloud_computing/gcp
    communication_systems/broadcasting_systems communication_systems/communication_systems
    communication_systems/signal_processing communication_systems/telecommunication
    communication_systems/wireless_communication data_science/big_data
    data_science/data_engineering data_science/data_science data_science/data_visualization
    information_technology/database_administration information_technology/help_desk_support
    information_technology/information_technology
    information_technology/performance_analysis information_technology/system_administration
    iot/industrial_iot iot/iot iot/iot_devices iot/iot_networks iot/iot_security
    iot/smart_homes networking/network_architecture networking/network_management
    networking/network_operations networking/network_protocols networking/network_security
    networking/networking security/application_security security/cyber_network_security
    security/cybersecurity security/data_security security/identity_management
    security/incident_management security/security software_engineering/apis_integration
    software_engineering/devops software_engineering/mlops
    software_engineering/quality_assurance software_engineering/software_development
    software_engineering/software_engineering technology
  `,
  telecommunications: `
    internet_services iot_connectivity network_infrastructure telecom_operations
    telecommunications voip_and_unified_communications wireless_communications
  `,
  transportation: `
    automotive autonomous_vehicles freight logistics public_transit supply_chain
    transportation
  `,
  trust_and_safety: `
    content_moderation data_privacy fraud_prevention online_safety risk_management
    trust_and_safety
  `,
};

const skills = slugsOf(SKILLS);
const domains = slugsOf(DOMAINS);

/** Reports whether the taxonomy has a skill of this slug, such as `audio/audio`. */
export function isOasfSkill(slug: string): boolean {
  return skills.has(slug);
}

/** Reports whether the taxonomy has a domain of this slug: `finance_and_business/banking`. */
export function isOasfDomain(slug: string): boolean {
  return domains.has(slug);
}

function slugsOf(table: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(
    Object.entries(table).flatMap(([category, names]) =>
      names
        .trim()
        .split(/\s+/)
        .map((name) => `${category}/${name}`),
    ),
  );
}
